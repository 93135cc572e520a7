import { runLimited, type LimitedCommand } from './limited-run.ts';

/** Runs the given command, for a test that kills this process meanwhile. */
await runLimited(JSON.parse(process.argv[2]!) as LimitedCommand);
