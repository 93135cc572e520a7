/** The tunable values of the Kafka log; each comment gives the reason for the default. */
export interface KafkaSettings {
  /**
   * How long the first record of a batch waits for others when nothing is being sent, if there are likely to be any.
   * While a send is in flight, the next batch collects by itself.
   */
  readonly lingerMs: number;
  /**
   * A record that comes when nothing was sent for so long is likely to be alone, and is sent at once: the linger would
   * be a tenth of what one client waits for a Post.
   */
  readonly loneAfterMs: number;
  /** The number of waiting records that ends the linger early. */
  readonly flushRecords: number;
  /** The most records of one send: bounds how long the send in flight delays the next. */
  readonly sendRecords: number;
  /**
   * The most bytes of one partition in one send: `max.message.bytes` (4 MB on our topics) limits the batch, not the
   * record.
   */
  readonly partitionBatchBytes: number;
  /**
   * The most bytes that wait for a send. Beyond it appends are rejected at once, so that memory does not fill while
   * Kafka is unreachable (backpressure).
   */
  readonly queueBytes: number;
  /**
   * Independent producers, each with its own share of the partitions. With one broker a second producer only halves the
   * batches.
   */
  readonly producers: number;
  /** The deadline of an append whose caller names none. */
  readonly appendDeadlineMs: number;
  /** Acknowledgements become durable within this time; losing them only repeats records. */
  readonly commitEveryMs: number;
  /** How long `close` waits for work in flight before it abandons it. */
  readonly closeWithinMs: number;
  /** kafkajs's default is 1 s, which a busy machine with few cores misses. */
  readonly connectionTimeoutMs: number;
  /**
   * A request that a broker leaves unanswered for so long fails and is repeated: well above a garbage collection pause,
   * below the group session.
   */
  readonly requestTimeoutMs: number;
  /**
   * A member without a heartbeat for so long is removed: a shorter time notices a crash earlier, a longer one tolerates
   * a longer pause.
   */
  readonly sessionTimeoutMs: number;
  /** A tenth of the session: heartbeats share the event loop with the work, and some come late. */
  readonly heartbeatIntervalMs: number;
  /** How long the group waits for its slowest member to rejoin. Callbacks return at once, so this is ample. */
  readonly rebalanceTimeoutMs: number;
  /**
   * The longest poll without records. It is also how long kafkajs sleeps when all its partitions are paused, and so the
   * delay of a resume.
   */
  readonly fetchWaitMs: number;
  /** How long after it has a leader again a partition that had none is read. */
  readonly leadersAgainMs: number;
  /** The size of one fetch answer: kafkajs decodes all of it to objects before anything is delivered. */
  readonly fetchBytes: number;
  readonly fetchPartitionBytes: number;
  /** Records of a paused partition that are kept here before fetching stops; makes a short pause free. */
  readonly backlogRecords: number;
  /** The same in bytes, which the number of records does not bound. */
  readonly backlogBytes: number;
  /** The first and the longest wait between attempts to reach Kafka. */
  readonly retryFromMs: number;
  readonly retryToMs: number;
}

export const KAFKA_SETTINGS: KafkaSettings = {
  lingerMs: 1,
  loneAfterMs: 4,
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
  leadersAgainMs: 5_000,
  fetchBytes: 2_000_000,
  fetchPartitionBytes: 256_000,
  backlogRecords: 1_000,
  backlogBytes: 4_000_000,
  retryFromMs: 50,
  retryToMs: 1_000,
};

/** The most records delivered in one call of `onRecords`. */
export const BATCH_RECORDS = 500;
