import { USAGE, worldsOf } from './arguments.ts';
import { runWorlds } from './run-worlds.ts';

const asked = worldsOf(process.argv.slice(2));
if (asked === null) {
  console.error(USAGE);
  process.exit(2);
}
const failed = await runWorlds(asked, (text) => console.log(text));
process.exitCode = failed.length === 0 ? 0 : 1;
