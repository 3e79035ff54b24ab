import type { Approval, Job } from "lockstep";
import { escaped, page } from "../pages/page.ts";
import type { Refusal } from "./approval-state.ts";
import { type FormSchema, formFields, labelOf } from "./schema-form.ts";
import { shownValue } from "./shown-value.ts";

/** What is to be decided, and the form for it. It does nothing by itself: only sending the form decides. */
export function askingPage(
  approval: Approval,
  job: Job,
  refused: { readonly sentence: string; readonly given: URLSearchParams } | null,
): string {
  const { wait, by, expiresAt, stages } = approval;
  const outputs = stages.map(
    (stage) => `<h2>${escaped(labelOf(stage))}</h2>${shownValue(job.outputs[stage])}`,
  );
  const complaint =
    refused === null ? "" : `<p class="complaint" role="alert">${escaped(refused.sentence)}</p>`;
  return page({
    title: `Your decision: ${labelOf(wait)}`,
    body: `<p>Pipeline <strong>${escaped(job.pipeline)}</strong>, job <code>${escaped(job.id)}</code>. You decide as <strong>${escaped(by)}</strong>, until ${instant(expiresAt)}.</p>
<section aria-label="What this is about" class="shown">
<h2>What was asked for</h2>
${shownValue(job.payload)}
${outputs.join("\n")}
</section>
<form method="post">
<h2>Decide</h2>
${complaint}
${formFields((approval.schema ?? {}) as FormSchema, refused?.given ?? null)}
<p><button type="submit">Send the decision</button></p>
</form>`,
  });
}

export function decidedPage({ wait, by }: Approval, answer: "signalled" | "kept", value: unknown): string {
  const sentence =
    answer === "signalled"
      ? "The job continues with it."
      : "It is kept until the job can take it: the job has not come this far yet, or the wait is paused.";
  return page({
    title: "Your decision was taken",
    body: `<p role="status">${sentence} It is recorded as a decision of <strong>${escaped(by)}</strong> on “${escaped(labelOf(wait))}”. You can close this page.</p>
<section class="shown">${shownValue(value)}</section>`,
  });
}

export function refusalPage({ title, sentence }: Pick<Refusal, "title" | "sentence">): string {
  return page({ title, body: `<p role="status">${escaped(sentence)}</p>` });
}

function instant(at: Date): string {
  const text = `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return `<time datetime="${at.toISOString()}">${text}</time>`;
}
