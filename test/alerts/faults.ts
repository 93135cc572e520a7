/** A fault, and the alert that it is to be known by. */
export interface FaultName {
  readonly name: string;
  readonly alert: string;
}

/** All that `make alerts` causes, in the order of the table in docs/alerts.md. */
export const FAULTS = {
  processKilled: { name: 'The only process is killed', alert: 'CrierRunsNowhere' },
  publisherKilled: { name: 'The only process that publishes is killed (cluster)', alert: 'CrierRoleRunsNowhere' },
  kafkaStopped: { name: 'Kafka is stopped (cluster)', alert: 'CrierLogAway' },
  networkDown: { name: 'A Network answers 500 to every call', alert: 'CrierNetworkOutOfOrder' },
  clockAhead: { name: 'The clock is an hour ahead', alert: 'CrierClockWrong' },
  clockBehind: { name: 'The clock is an hour behind', alert: 'CrierClockWrong' },
  endpointsHang: { name: 'Sixteen endpoints hang', alert: 'CrierWebhooksFail' },
  diskFull: { name: 'The disk is full', alert: 'CrierDiskFull' },
  wrongSecret: { name: 'The process is started with another secret', alert: 'CrierSecretRefused' },
  keyParked: { name: 'A Workspace can not be read, and its key is parked', alert: 'CrierKeyHeldBack' },
  canaryStopped: {
    name: 'No process runs the canary: its lease is held by one that is gone',
    alert: 'CrierCanaryStale',
  },
  mediaQueueFull: { name: 'Conversions hang, and the media queue grows', alert: 'CrierConversionsWait' },
} as const satisfies Readonly<Record<string, FaultName>>;

/** What was seen of a fault: a row of the table in docs/alerts.md. */
export interface FaultSeen extends FaultName {
  readonly severity: string;
  readonly firedAfterSeconds: number;
  readonly others: readonly { readonly name: string; readonly severity: string }[];
  readonly clearedAfterSeconds: number;
  /** Where processes that run do not answer, the machine is too busy, and alerts tell of that. From 0 to 1. */
  readonly scrapesAnswered: number;
}

const HEADS = ['Fault', 'Alert', 'Severity', 'Fires after, s', 'Other alerts', 'Clears after, s', 'Scrapes answered'];

/** A row for each fault of `FAULTS` that was seen. */
export function tableOf(seen: readonly FaultSeen[]): string {
  const rows = Object.values(FAULTS).flatMap(({ name }) => seen.filter((each) => each.name === name));
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [line(HEADS), `|${'---|'.repeat(HEADS.length)}`, ...rows.map((row) => line(cellsOf(row)))].join('\n');
}

function cellsOf(row: FaultSeen): readonly (string | number)[] {
  const others = row.others.map(({ name, severity }) => `${name} (${severity})`).join(', ') || 'none';
  const answered = `${Math.round(100 * row.scrapesAnswered)} %`;
  return [row.name, row.alert, row.severity, row.firedAfterSeconds, others, row.clearedAfterSeconds, answered];
}
