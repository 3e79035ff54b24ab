const lookAgainMs = 20;

/** Ends when the condition holds. For what no event tells: it asks again and again, and never waits for nothing. */
export async function until(
  what: string,
  holds: () => Promise<boolean>,
  { limitMs = 60_000 } = {},
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`It did not come about within ${limitMs} ms that ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}
