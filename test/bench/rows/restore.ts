import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Bench } from '../bench.ts';
import { openSite } from '../installation.ts';
import { timedCommand } from '../timed-command.ts';
import { fillInstallation } from './backup.ts';

const MEGABYTE = 1_000_000;

/** An embedded installation with a million Variants that becomes one on a cluster: how long clients wait for it. */
export async function restores(bench: Bench): Promise<void> {
  const embedded = await openSite('embedded', { writes: 'periodic', jvm: 'tests', profile: null });
  try {
    const source = await embedded.install('source');
    await fillInstallation(bench, source);
    const folder = join(dirname(source.dataDir), 'backups');
    mkdirSync(folder);
    const file = join(folder, 'outgrown.tar');
    const { secret } = JSON.parse(readFileSync(join(source.dataDir, 'secrets.json'), 'utf8')) as { secret: string };
    const target = await bench.site.install('restored');
    bench.say('backing up, and restoring onto the cluster');
    const { seconds: backup } = await timedCommand(['backup', `--to=${file}`, `--data-dir=${source.dataDir}`]);
    const settings = { ...target.settings, CRIER_SECRET: secret };
    const { seconds: restore, stdout } = await timedCommand(['restore', '--json', `--from=${file}`], settings);
    const { rows } = JSON.parse(stdout) as { readonly rows: number };
    bench.add({
      group: 'restore',
      what: `crier restore onto a cluster, ${bench.sizes.outstanding} Variants`,
      rateLimit: 0,
      figures: {
        'backup s': backup,
        'restore s': restore,
        rows,
        'rows per s': rows / restore,
        MB: statSync(file).size / MEGABYTE,
      },
      target: null,
      how: 'an embedded installation that is stopped, onto empty engines on the same machine; a Post with one Variant each, without files',
    });
    rmSync(file);
  } finally {
    await embedded.close();
  }
}
