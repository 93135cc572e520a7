import { readMovieBoxes } from './movie-boxes.ts';

/**
 * A process of its own, started by movie-boxes-process.ts: reads the boxes of the file that it is given, says what it
 * read, and ends.
 */
process.stdout.write(JSON.stringify(readMovieBoxes(process.argv[2]!)));
