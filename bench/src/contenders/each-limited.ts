/** Runs all, at most `limit` at a time; what answers at once costs no promise. */
export async function eachLimited<Item>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<void> | undefined,
): Promise<void> {
  let next = 0;
  const runRest = async () => {
    while (next < items.length) {
      const item = items[next] as Item;
      next += 1;
      const running = run(item);
      if (running !== undefined) await running;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, runRest));
}
