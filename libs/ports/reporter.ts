export type Level = 'debug' | 'info' | 'warn' | 'error';
export type Fact = string | number | boolean | null | undefined;

/**
 * One call per business event: it feeds the log line and the metrics declared for that event
 * (libs/reporting/metrics.ts). Ids belong in `facts` and never become metric labels. Never pass a token, key or
 * password.
 */
export interface Reporter {
  report(event: string, facts?: Readonly<Record<string, Fact>>): void;
  /** An error nobody expected, with what was being done. */
  failure(event: string, error: unknown, facts?: Readonly<Record<string, Fact>>): void;
}
