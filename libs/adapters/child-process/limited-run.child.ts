import { runLimited, type LimitedCommand } from './limited-run.ts';

/** Runs the command it is given, for a test that kills it meanwhile. */
await runLimited(JSON.parse(process.argv[2]!) as LimitedCommand);
