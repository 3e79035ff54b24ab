import { page } from "./page.ts";

/** What there is, where no console is installed. */
export function startPage(base: string): string {
  return page({
    title: "Lockstep",
    body: `<p>The server is up. It has no console, but it has these:</p>
<ul>
<li><a href="${base}/api/v1/jobs">Jobs</a>, <a href="${base}/api/v1/pipelines">pipelines</a>,
<a href="${base}/api/v1/stats">numbers</a> and <a href="${base}/api/v1/workers">workers</a>, as JSON</li>
<li><a href="${base}/health">Health</a></li>
<li><a href="${base}/api/v1/openapi.json">The API's description</a> (OpenAPI 3.1)</li>
</ul>`,
  });
}
