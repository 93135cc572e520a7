import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** One of a container's three probes, with the defaults of Kubernetes. */
export interface ProbePlan {
  readonly path: string;
  readonly port: number;
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
  readonly successThreshold: number;
}

/** Null where the container has no such probe. */
export function probePlan(probe: any, ports: readonly any[]): ProbePlan | null {
  if (probe === undefined) return null;
  if (probe.httpGet === undefined) throw new Error(`only probes by httpGet are known here: ${JSON.stringify(probe)}`);
  const { path, port: given } = probe.httpGet;
  const port = typeof given === 'number' ? given : ports.find(({ name }) => name === given)?.containerPort;
  if (port === undefined) throw new Error(`no port of the container is called ${given}`);
  const { initialDelaySeconds = 0, periodSeconds = 10, timeoutSeconds = 1 } = probe;
  const { failureThreshold = 3, successThreshold = 1 } = probe;
  return { path, port, initialDelaySeconds, periodSeconds, timeoutSeconds, failureThreshold, successThreshold };
}

/**
 * Asks again and again until the signal, and tells each change: true after so many successes in a row, false after so
 * many failures.
 */
export async function repeatProbe(
  address: string,
  plan: ProbePlan,
  signal: AbortSignal,
  onVerdict: (good: boolean, why: string) => void,
): Promise<void> {
  let [successes, failures] = [0, 0];
  await pause(plan.initialDelaySeconds, signal);
  while (!signal.aborted) {
    const why = await ask(address, plan);
    if (signal.aborted) return;
    [successes, failures] = why === null ? [successes + 1, 0] : [0, failures + 1];
    if (successes === plan.successThreshold) onVerdict(true, '');
    if (failures === plan.failureThreshold) onVerdict(false, why ?? '');
    await pause(plan.periodSeconds, signal);
  }
}

/** Null when it answers well. */
function ask(address: string, { path, port, timeoutSeconds }: ProbePlan): Promise<string | null> {
  return new Promise((done) => {
    const asked = request({ host: address, port, path, agent: false }, (answer) => {
      answer.resume();
      const status = answer.statusCode ?? 0;
      done(status >= 200 && status < 400 ? null : `${path} answers ${status}`);
    });
    asked.setTimeout(timeoutSeconds * 1_000, () => asked.destroy(new Error(`no answer in ${timeoutSeconds} s`)));
    asked.once('error', (error) => done(`${path}: ${error.message}`));
    asked.end();
  });
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return sleep(seconds * 1_000, undefined, { signal }).catch(() => undefined);
}
