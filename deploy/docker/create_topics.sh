#!/usr/bin/env bash
# Makes the topics once. Both that hold telemetry have the same number of partitions: a trace's spans and its log records
# are then read by the same replica of Ragsonde. Prompts are large, so messages may be.
set -euo pipefail
create() {
  /opt/kafka/bin/kafka-topics.sh --bootstrap-server kafka:9092 --create --if-not-exists --replication-factor 1 "$@"
}
for topic in otlp_spans otlp_logs; do
  create --topic "$topic" --partitions 6 --config max.message.bytes=4000000 --config retention.ms=86400000
done
create --topic ragsonde.dead_letter --partitions 1 --config retention.ms=604800000
create --topic ragsonde.scores --partitions 6 --config cleanup.policy=compact
