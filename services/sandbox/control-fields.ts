import { NETWORKS, type Network } from '#domain/network.ts';
import { isRecord, json, type SandboxAnswer, type Incoming } from './exchange.ts';

/** Why a control call is refused, in words for the person who sent it. */
export class BadControl extends Error {
  override readonly name = 'BadControl';
}

export function refused(status: number, code: string, message: string): SandboxAnswer {
  return json(status, { error: { code, message } });
}

const oneOf = (values: readonly string[]) => values.join(', ');

export function readNetwork(value: unknown): Network {
  if (typeof value !== 'string' || !(NETWORKS as readonly string[]).includes(value))
    throw new BadControl(`network must be one of: ${oneOf(NETWORKS)}.`);
  return value as Network;
}

/** The body as an object that has no fields besides these. */
export function readFields(request: Incoming, allowed: readonly string[]): Readonly<Record<string, unknown>> {
  const body = request.json();
  if (!isRecord(body)) throw new BadControl('The body must be a JSON object.');
  const unknown = Object.keys(body).find((name) => !allowed.includes(name));
  if (unknown !== undefined)
    throw new BadControl(`Unknown field ${JSON.stringify(unknown.slice(0, 100))}; the fields are: ${oneOf(allowed)}.`);
  return body;
}

export function readInteger(value: unknown, name: string, least: number, most: number): number {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most)
    throw new BadControl(`${name} must be a whole number from ${least} to ${most}.`);
  return value as number;
}

export function readChoice(value: unknown, name: string, choices: readonly string[]): string {
  if (typeof value !== 'string' || !choices.includes(value))
    throw new BadControl(`${name} must be one of: ${oneOf(choices)}.`);
  return value;
}

/** The query's network, where it is given. */
export function queriedNetwork(request: Incoming): Network | undefined {
  const value = request.query.get('network');
  return value === null || value === '' ? undefined : readNetwork(value);
}
