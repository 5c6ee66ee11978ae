// The known name that a misspelt one may have meant.

/** The nearest of these names, if it is at most so many edits away. */
export function nearestName(given: string, names: readonly string[], atMost: number): string | undefined {
  const near = names.filter((name) => Math.abs(name.length - given.length) <= atMost);
  const distances = near.map((name) => ({ name, distance: editDistance(given, name) }));
  const [nearest] = distances.toSorted((a, b) => a.distance - b.distance);
  return nearest && nearest.distance <= atMost ? nearest.name : undefined;
}

/** Characters to insert, delete or replace (Levenshtein), a row of the table at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [line, character] of [...from].entries()) {
    const next = [line + 1];
    for (const [at, other] of [...to].entries()) {
      const replaced = (row[at] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
