import type { Listener } from "@lockstep/server";

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="2">
<title>This page is starting</title>
<main style="font-family: system-ui, sans-serif; margin: 3rem auto; max-width: 34rem; padding: 0 1rem; line-height: 1.5">
<h1 style="font-size: 1.25rem">This page is starting</h1>
<p>It appears here by itself. Entries is built before its first start, which takes a minute or two.</p>
</main>
</html>
`;

/** What answers at the address of a page until the page does. */
export const starting: Listener = {
  isForLoopbackOnly: true,
  mountPath: "",
  fetch: async () =>
    new Response(page, {
      status: 503,
      headers: {
        "Retry-After": "2",
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-store",
      },
    }),
  stop: async () => {},
};
