import { writeSync } from 'node:fs';
import { lockDataFolder } from './data-folder.ts';

// Run by data-folder.test.ts: takes the folder and holds it until killed.
try {
  await lockDataFolder(process.argv[2]!);
  writeSync(1, 'locked\n');
  process.stdin.resume();
} catch (error) {
  writeSync(1, `${error instanceof Error ? error.message : String(error)}\n`);
}
