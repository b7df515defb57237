-- The first shape of the review store. {blob} is bytes: BLOB in SQLite, BYTEA in PostgreSQL.
CREATE TABLE ragsonde_review_schema (
    version BIGINT NOT NULL
);
CREATE TABLE ragsonde_review_interactions (
    id TEXT NOT NULL,
    app TEXT NOT NULL,
    answered_ms BIGINT NOT NULL,
    scored_ms BIGINT NOT NULL,
    language TEXT NOT NULL,
    diagnosis TEXT NOT NULL,
    conversation_id TEXT,
    probability DOUBLE PRECISION NOT NULL,
    refusal BOOLEAN,
    faithfulness DOUBLE PRECISION,
    question_characters BIGINT,
    answer_characters BIGINT,
    contexts BIGINT,
    context_characters BIGINT,
    question TEXT,
    answer TEXT,
    PRIMARY KEY (id)
);
CREATE INDEX ragsonde_review_interactions_answered ON ragsonde_review_interactions (answered_ms);
CREATE INDEX ragsonde_review_interactions_conversation ON ragsonde_review_interactions (conversation_id, answered_ms);
CREATE TABLE ragsonde_review_outcomes (
    interaction_id TEXT NOT NULL,
    scorer TEXT NOT NULL,
    metric TEXT NOT NULL,
    app TEXT NOT NULL,
    answered_ms BIGINT NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    value DOUBLE PRECISION,
    weight DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (interaction_id, scorer, metric)
);
CREATE INDEX ragsonde_review_outcomes_answered ON ragsonde_review_outcomes (answered_ms);
CREATE TABLE ragsonde_review_verdicts (
    interaction_id TEXT NOT NULL,
    scorer TEXT NOT NULL,
    app TEXT NOT NULL,
    answered_ms BIGINT NOT NULL,
    probability DOUBLE PRECISION NOT NULL,
    applies BOOLEAN NOT NULL,
    fault BOOLEAN,
    failure TEXT,
    PRIMARY KEY (interaction_id, scorer)
);
CREATE INDEX ragsonde_review_verdicts_answered ON ragsonde_review_verdicts (answered_ms);
CREATE TABLE ragsonde_review_items (
    id TEXT NOT NULL,
    app TEXT NOT NULL,
    answered_ms BIGINT NOT NULL,
    scored_ms BIGINT NOT NULL,
    language TEXT NOT NULL,
    diagnosis TEXT NOT NULL,
    conversation_id TEXT,
    question TEXT NOT NULL,
    because TEXT NOT NULL,
    share DOUBLE PRECISION,
    draw DOUBLE PRECISION NOT NULL,
    urgency DOUBLE PRECISION NOT NULL,
    picked_on TEXT NOT NULL,
    wanted_reviews BIGINT NOT NULL,
    reviews BIGINT NOT NULL,
    state TEXT NOT NULL,
    claims BIGINT NOT NULL,
    score DOUBLE PRECISION,
    rank DOUBLE PRECISION NOT NULL,
    dismissed_by TEXT,
    dismissed_ms BIGINT,
    PRIMARY KEY (id)
);
CREATE INDEX ragsonde_review_items_answered ON ragsonde_review_items (answered_ms);
CREATE INDEX ragsonde_review_items_app ON ragsonde_review_items (app, state, rank, id);
CREATE INDEX ragsonde_review_items_picked ON ragsonde_review_items (picked_on, app, because);
CREATE INDEX ragsonde_review_items_queue ON ragsonde_review_items (state, rank, id);
CREATE TABLE ragsonde_review_records (
    item_id TEXT NOT NULL,
    record {blob} NOT NULL,
    PRIMARY KEY (item_id)
);
CREATE TABLE ragsonde_review_item_scores (
    item_id TEXT NOT NULL,
    metric TEXT NOT NULL,
    value DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (item_id, metric)
);
CREATE INDEX ragsonde_review_item_scores_metric ON ragsonde_review_item_scores (metric, value, item_id);
CREATE TABLE ragsonde_review_reviews (
    item_id TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    complete BOOLEAN NOT NULL,
    fault BOOLEAN,
    skipped BOOLEAN NOT NULL,
    withdrawn BOOLEAN NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (item_id, reviewer)
);
CREATE INDEX ragsonde_review_reviews_reviewer ON ragsonde_review_reviews (reviewer, updated_ms);
CREATE TABLE ragsonde_review_history (
    item_id TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    saved_ms BIGINT NOT NULL,
    undone BOOLEAN NOT NULL,
    PRIMARY KEY (item_id, reviewer, version)
);
CREATE TABLE ragsonde_review_holds (
    item_id TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    until_ms BIGINT NOT NULL,
    PRIMARY KEY (item_id)
);
CREATE TABLE ragsonde_review_seen (
    id TEXT NOT NULL,
    selected_ms BIGINT NOT NULL,
    PRIMARY KEY (id)
);
