import { readMovieBoxes } from './movie-boxes.ts';

/**
 * The program of the process that movie-boxes-process.ts starts: reads the boxes of the given file, prints what it
 * read, and ends.
 */
process.stdout.write(JSON.stringify(readMovieBoxes(process.argv[2]!)));
