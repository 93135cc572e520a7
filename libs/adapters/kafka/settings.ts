/** What can be tuned about the Kafka log; each default says why. */
export interface KafkaSettings {
  /**
   * How long the first record of a batch waits for company when nothing is being sent. While a send is out, the next
   * batch gathers by itself.
   */
  readonly lingerMs: number;
  /** Records waiting that end the linger early. */
  readonly flushRecords: number;
  /** Most records of one send: bounds how long the one send in flight keeps the next waiting. */
  readonly sendRecords: number;
  /**
   * Most bytes of one partition in one send: `max.message.bytes` (4 MB on our topics) bounds the batch, not the record.
   */
  readonly partitionBatchBytes: number;
  /**
   * Bytes waiting for a send; beyond it appends are turned away at once instead of filling the memory while Kafka is
   * away.
   */
  readonly queueBytes: number;
  /**
   * Independent producers, each with its own share of the partitions. With one broker a second one only halves the
   * batches.
   */
  readonly producers: number;
  /** When the caller names no deadline. */
  readonly appendDeadlineMs: number;
  /** Acknowledgements become durable within this time; losing them only repeats records. */
  readonly commitEveryMs: number;
  /** How long `close` waits for what is under way before it lets go. */
  readonly closeWithinMs: number;
  /** kafkajs allows 1 s, which a busy machine with few cores misses. */
  readonly connectionTimeoutMs: number;
  /** A broker silent for so long is asked again: well above a pause for garbage collection, below the group session. */
  readonly requestTimeoutMs: number;
  /** A member silent for so long is dead: how late a crash is noticed, against how long a pause may last. */
  readonly sessionTimeoutMs: number;
  /** A tenth of the session: beats share the event loop with the work and some come late. */
  readonly heartbeatIntervalMs: number;
  /** How long the group waits for its slowest member to join again. Hand-over returns at once, so this is ample. */
  readonly rebalanceTimeoutMs: number;
  /**
   * Longest silent poll; also how long kafkajs sleeps when every partition it has is paused, and so the price of a
   * resume.
   */
  readonly fetchWaitMs: number;
  /** Of one fetch answer: kafkajs decodes all of it to objects before anything is handed over. */
  readonly fetchBytes: number;
  readonly fetchPartitionBytes: number;
  /** Records of a paused partition kept here before Kafka is told to stop; makes a short pause free. */
  readonly backlogRecords: number;
  /** First and longest wait between attempts to reach Kafka. */
  readonly retryFromMs: number;
  readonly retryToMs: number;
}

export const KAFKA_SETTINGS: KafkaSettings = {
  lingerMs: 1,
  flushRecords: 200,
  sendRecords: 1_000,
  partitionBatchBytes: 512_000,
  queueBytes: 64_000_000,
  producers: 1,
  appendDeadlineMs: 10_000,
  commitEveryMs: 200,
  closeWithinMs: 5_000,
  connectionTimeoutMs: 5_000,
  requestTimeoutMs: 8_000,
  sessionTimeoutMs: 10_000,
  heartbeatIntervalMs: 1_000,
  rebalanceTimeoutMs: 15_000,
  fetchWaitMs: 250,
  fetchBytes: 2_000_000,
  fetchPartitionBytes: 256_000,
  backlogRecords: 1_000,
  retryFromMs: 50,
  retryToMs: 1_000,
};

/** Most records handed over in one call of `onRecords`. */
export const BATCH_RECORDS = 500;
