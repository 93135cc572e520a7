// Runs after the archive of this pod was verified: gives it the name of one that is whole, and keeps the newest
// BACKUPS_KEPT of those in the folder /backup. Archives that failed their check go after a day.
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';

const folder = process.argv[1] ?? '/backup';
const archive = `${folder}/${process.env.POD_NAME}`;
renameSync(`${archive}.unverified`, `${archive}.crier-backup`);

const named = (ending) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => ({ name, writtenAt: statSync(`${folder}/${name}`).mtimeMs }))
    .sort((one, other) => other.writtenAt - one.writtenAt);
const surplus = named('.crier-backup').slice(Number(process.env.BACKUPS_KEPT));
const broken = named('.unverified').filter(({ writtenAt }) => writtenAt < Date.now() - 86_400_000);
for (const { name } of [...surplus, ...broken]) {
  rmSync(`${folder}/${name}`);
  console.log(`removed ${name}`);
}
