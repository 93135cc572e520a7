// Keeps the newest BACKUPS_KEPT archives of the folder /backup; runs after a new one was verified.
import { readdirSync, rmSync, statSync } from 'node:fs';

const folder = process.argv[1] ?? '/backup';
const archives = readdirSync(folder)
  .filter((name) => name.endsWith('.crier-backup'))
  .map((name) => ({ name, writtenAt: statSync(`${folder}/${name}`).mtimeMs }))
  .sort((one, other) => other.writtenAt - one.writtenAt);
for (const { name } of archives.slice(Number(process.env.BACKUPS_KEPT))) {
  rmSync(`${folder}/${name}`);
  console.log(`removed ${name}`);
}
