import { PortError } from '#ports/errors.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';
import { INSTALLATION } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import { writeInstallation } from './installation.ts';

export const PROBE_KEY = ['secret-probe'] as const;
export const PROBE_CONTEXT = 'secret probe';

export interface SecretProbe {
  readonly sealed: string;
  /** Short names of the keys that sealed anything since all was sealed anew; left out: only that of `sealed`. */
  readonly keys?: readonly string[];
}

/**
 * Whether this process has the secret of the installation: a row holds a text that the first process sealed, and each
 * later one must open it with its secret or a former one. Without it a process with another secret would take work that
 * it can not do. Returns what is wrong, for an operator; null: it opens. Writes the row when there is none, and notes
 * in it the key that this process seals with, before it seals anything. Rejects with `PortError` when the store can not
 * be asked.
 */
export async function probeSecret(
  store: TableStore,
  secretBox: SecretBox,
  token: () => string,
): Promise<string | null> {
  for (;;) {
    const row = await store.read(INSTALLATION, PROBE_KEY, [], { serial: true });
    const probe = row === null ? null : decodeBody<SecretProbe>(row);
    const trouble = probe === null ? null : troubleOpening(probe.sealed, secretBox);
    const [current] = secretBox.keyIds;
    const keys = probe === null ? [] : keysOf(probe, secretBox);
    if (trouble !== null || keys.includes(current)) return trouble;
    const value: SecretProbe = {
      sealed: probe?.sealed ?? secretBox.seal('sealed by the first process', PROBE_CONTEXT),
      keys: [...keys, current],
    };
    if (await writeInstallation(store, PROBE_KEY, { over: row?.version ?? null, value, token: token() })) return null;
  }
}

/** As `probeSecret`, and writes nothing. */
export async function secretTrouble(store: Pick<TableStore, 'read'>, secretBox: SecretBox): Promise<string | null> {
  const row = await store.read(INSTALLATION, PROBE_KEY, []);
  const probe = row === null ? null : decodeBody<SecretProbe>(row);
  return probe === null ? null : troubleOpening(probe.sealed, secretBox);
}

/**
 * Keys by which something may be sealed here, and that this process does not know: the secret was changed since, or
 * before this one was taken from a backup. Rejects with `PortError`.
 */
export async function unknownSealingKeys(
  store: Pick<TableStore, 'read'>,
  secretBox: Pick<SecretBox, 'keyIds' | 'keyIdOf'>,
): Promise<readonly string[]> {
  const row = await store.read(INSTALLATION, PROBE_KEY, []);
  const probe = row === null ? null : decodeBody<SecretProbe>(row);
  return probe === null ? [] : keysOf(probe, secretBox).filter((key) => !secretBox.keyIds.includes(key));
}

/**
 * Notes that everything was sealed anew: of the keys that sealed something only that of today is left, and where some
 * of it could not be opened, those that nobody knows here. Rejects with `PortError`.
 */
export async function noteSealedAnew(
  store: TableStore,
  secretBox: Pick<SecretBox, 'keyIds' | 'keyIdOf'>,
  { isAllOpened, token }: { readonly isAllOpened: boolean; readonly token: () => string },
): Promise<void> {
  for (;;) {
    const row = await store.read(INSTALLATION, PROBE_KEY, [], { serial: true });
    const probe = row === null ? null : decodeBody<SecretProbe>(row);
    if (row === null || probe === null) return;
    const [current] = secretBox.keyIds;
    const lost = isAllOpened ? [] : keysOf(probe, secretBox).filter((key) => !secretBox.keyIds.includes(key));
    const value: SecretProbe = { ...probe, keys: [...lost, current] };
    if (String(probe.keys) === String(value.keys)) return;
    if (await writeInstallation(store, PROBE_KEY, { over: row.version, value, token: token() })) return;
  }
}

/** In words for an operator. */
export function unknownKeysTold(keys: readonly string[]): string {
  return `values are sealed with a secret that is not known here (key ${keys.join(', ')}): name it in CRIER_PREVIOUS_SECRETS, or the Channels and endpoints concerned can not be used`;
}

function keysOf({ sealed, keys }: SecretProbe, { keyIdOf }: Pick<SecretBox, 'keyIdOf'>): readonly string[] {
  return keys ?? [keyIdOf(sealed)].filter((key) => key !== null);
}

function troubleOpening(sealed: string, secretBox: SecretBox): string | null {
  try {
    secretBox.open(sealed, PROBE_CONTEXT);
    return null;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return `CRIER_SECRET is not the secret of this installation (${error.message}): set that one, or name it in CRIER_PREVIOUS_SECRETS`;
  }
}
