import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMisbehavingReceiver, type MisbehavingReceiver, type ReceiverOptions } from './misbehaving-receiver.ts';

export interface TrustedReceiver extends AsyncDisposable {
  readonly receiver: MisbehavingReceiver;
  /** Settings by which a process of Crier finds and trusts it. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A receiver, or a server of files, that Crier's processes reach as if it were on the internet. */
export async function startTrustedReceiver(options: ReceiverOptions = {}): Promise<TrustedReceiver> {
  const receiver = await startMisbehavingReceiver(options);
  const folder = mkdtempSync(join(tmpdir(), 'crier-receiver-'));
  const authority = join(folder, 'authority.pem');
  const { name, host, port, ca } = receiver.override;
  writeFileSync(authority, ca!);
  return {
    receiver,
    settings: { CRIER_EGRESS_OVERRIDES: `${name}=${host}:${port}`, NODE_EXTRA_CA_CERTS: authority },
    async [Symbol.asyncDispose]() {
      await receiver.close();
      rmSync(folder, { recursive: true });
    },
  };
}
