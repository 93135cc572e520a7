import { BadControl, readChoice, readFields, readInteger, readNetwork } from './control-fields.ts';
import type { Incoming } from './exchange.ts';
import { COMMON_FAULTS, type Fault, type FaultName, type FaultRule } from './faults.ts';
import type { Simulator } from './simulator.ts';
import type { Simulators } from './simulators.ts';

const DEFAULT_DELAY_MS = 5_000;
const MAX_DELAY_MS = 3_600_000;
const MAX_COUNT = 1_000_000;

/** The rule of every fault that this Network can play: the common ones at any call, its own where they make sense. */
function rulesOf(simulator: Simulator): ReadonlyMap<string, FaultRule> {
  const calls = [simulator.irreversible, ...simulator.calls.filter((call) => call !== simulator.irreversible)];
  const common = COMMON_FAULTS.map((name) => [name, { calls }] as const);
  return new Map<string, FaultRule>([...common, ...Object.entries(simulator.faults)]);
}

/** `{network, fault, call?, count?, delayMs?, reason?}`; throws `BadControl` that names valid values. */
export function readFault(request: Incoming, simulators: Simulators): Fault {
  const fields = readFields(request, ['network', 'fault', 'call', 'count', 'delayMs', 'reason']);
  const simulator = simulators[readNetwork(fields['network'])];
  const rules = rulesOf(simulator);
  const fault = readChoice(fields['fault'], `fault of ${simulator.network}`, [...rules.keys()]) as FaultName;
  const { calls, reasons } = rules.get(fault)!;
  const { call, count, delayMs, reason } = fields;
  if (reason !== undefined && reason !== null && reasons === undefined)
    throw new BadControl(`reason is not used by ${fault} of ${simulator.network}.`);
  return {
    network: simulator.network,
    fault,
    call: call === undefined || call === null ? calls[0]! : readChoice(call, `call of ${fault}`, calls),
    left: count === undefined ? 1 : readInteger(count, 'count', 1, MAX_COUNT),
    delayMs:
      delayMs === undefined || delayMs === null
        ? fault === 'delay'
          ? DEFAULT_DELAY_MS
          : null
        : readInteger(delayMs, 'delayMs', 0, MAX_DELAY_MS),
    reason:
      reason === undefined || reason === null
        ? (reasons?.[0] ?? null)
        : readChoice(reason, `reason of ${fault}`, reasons!),
  };
}
