/** The candidate that a word was probably meant to be; null when none is near. */
export function nearestOf(word: string, candidates: readonly string[]): string | null {
  const near = candidates
    // Each letter that is too many is a difference. Comparing a header of a megabyte would take minutes.
    .filter((candidate) => Math.abs(candidate.length - word.length) <= mostOf(candidate))
    .map((candidate) => ({ candidate, distance: distanceOf(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= mostOf(candidate))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.candidate ?? null;
}

/** How many differences a candidate may have to the word. */
function mostOf(candidate: string): number {
  return Math.max(1, Math.floor(candidate.length / 3));
}

/** How many letters are to be put in, left out, changed, or exchanged with their neighbour. */
function distanceOf(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, rows[i - 2]![j - 2]! + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
