export interface GivenEnd {
  id: string | undefined;
  token: string | undefined;
  [more: string]: unknown;
}

/** The ends of some claims, as settle_jobs and settle_and_claim take them. */
export function settledBy(ends: readonly GivenEnd[]) {
  return {
    p_ids: ends.map(({ id }) => id),
    p_tokens: ends.map(({ token }) => token),
    p_ends: ends.map(({ id, token, ...end }) => end),
  };
}
