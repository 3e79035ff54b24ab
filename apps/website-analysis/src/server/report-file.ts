import type { Job } from "lockstep";
import { reportOf } from "../report/report.ts";
import { reportMarkdown } from "../report/report-markdown.ts";

/** The report as a download: "report.md" or "report.json"; null if there is no such file. */
export function reportFile(job: Job, name: string): Response | null {
  const report = reportOf(job);
  if (report === null) return null;
  const host = new URL(report.url).hostname.replace(/[^\w.-]/g, "") || "page";
  if (name === "report.md") return download(reportMarkdown(report), "text/markdown", `${host}.analysis.md`);
  if (name === "report.json")
    return download(`${JSON.stringify(report, null, 2)}\n`, "application/json", `${host}.analysis.json`);
  return null;
}

function download(text: string, type: string, fileName: string): Response {
  return new Response(text, {
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "content-disposition": `attachment; filename="${fileName}"`,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}
