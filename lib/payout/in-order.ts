// Work on what comes one after the other, several at once, and hand on the results in the order of what came.

/** Results of `work` in the order of the items; at most `atOnce` are under way or waiting to be taken. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  for await (const item of items) {
    const result = work(item);
    // Heard when its turn comes; until then it must not count as unhandled.
    result.catch(() => {});
    underWay.push(result);
    const [first] = underWay;
    if (underWay.length < atOnce || !first) continue;
    underWay.shift();
    yield await first;
  }
  for (const result of underWay) yield await result;
}
