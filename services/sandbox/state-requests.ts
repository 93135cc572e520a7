import type { Network } from '#domain/network.ts';
import { accountStatesOf, type AccountStateName, type AccountStates } from './account-states.ts';
import type { Account } from './accounts.ts';
import { appStatesOf, type AppState, type AppStateName } from './app-states.ts';
import { BadControl, readChoice, readFields, readInteger, readNetwork } from './control-fields.ts';
import type { Incoming } from './exchange.ts';

const MAX_SCOPES = 50;
const MAX_SCOPE_LENGTH = 200;
const MAX_LOST_CONTAINERS = 1_000_000;

function readScopes(value: unknown): readonly string[] {
  const isScope = (scope: unknown) => typeof scope === 'string' && scope !== '' && scope.length <= MAX_SCOPE_LENGTH;
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_SCOPES || !value.every(isScope))
    throw new BadControl(`scopes must name 1 to ${MAX_SCOPES} scopes that the app lacks.`);
  return value as string[];
}

/** `{network, state, scopes?}`; throws `BadControl` that names the states of that Network. */
export function readAppState(request: Incoming): { readonly network: Network; readonly to: AppState } {
  const fields = readFields(request, ['network', 'state', 'scopes']);
  const network = readNetwork(fields['network']);
  const state = readChoice(fields['state'], `state of the app at ${network}`, appStatesOf(network)) as AppStateName;
  if (state === 'missing_scopes') return { network, to: { state, scopes: readScopes(fields['scopes']) } };
  if (fields['scopes'] !== undefined) throw new BadControl('scopes goes with the state missing_scopes alone.');
  return { network, to: { state, scopes: [] } };
}

/** `{state, count?}`: puts the account into a state of its Network. Throws `BadControl` that names these. */
export function setAccountState(request: Incoming, account: Account, states: AccountStates): AccountStateName {
  const fields = readFields(request, ['state', 'count']);
  const known = accountStatesOf(account.network);
  if (known.length === 0) throw new BadControl(`Accounts of ${account.network} have no states.`);
  const state = readChoice(fields['state'], `state of an account of ${account.network}`, known) as AccountStateName;
  if (state === 'lost_container') {
    const count = fields['count'] === undefined ? 1 : readInteger(fields['count'], 'count', 1, MAX_LOST_CONTAINERS);
    states.loseContainers(account.accountId, count);
    return state;
  }
  if (fields['count'] !== undefined) throw new BadControl('count goes with the state lost_container alone.');
  states.enterPortfolio(account.accountId);
  return state;
}
