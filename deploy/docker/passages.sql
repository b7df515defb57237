-- Where Ragsonde looks up passages that spans name by id only.
CREATE TABLE passages (id text PRIMARY KEY, body text NOT NULL);
