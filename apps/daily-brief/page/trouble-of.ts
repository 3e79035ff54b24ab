import { element } from "@lockstep/app-kit/page/element";
import { timeText } from "../src/services/date-text.ts";
import type { Trouble } from "./brief-api.ts";

const typeWords: Readonly<Record<string, string>> = {
  ...{ daily_brief_due: "Start of the day", generate_daily_brief: "Brief", generate_brief_email: "Mail" },
  ...{
    send_sms: "SMS",
    confirm_phone: "Code for your number",
    generate_phases: "Phases",
    onboarding_analysis: "First look",
  },
};

/** A job that is being retried or has failed: what, why and when. */
export function troubleOf(
  { id, type, status, attempt, error, at }: Trouble,
  { timeZone, onRetry }: { readonly timeZone: string; readonly onRetry: (jobId: string) => void },
): HTMLElement {
  const again = element("button", { type: "button" }, "Try again");
  again.onclick = () => onRetry(id);
  const time = at === null ? "soon" : timeText(new Date(at), timeZone);
  const tries = attempt === 1 ? "once" : `${attempt} times`;
  const words = status === "failed" ? `failed, ${time}, tried ${tries}` : `tried ${tries}, next try ${time}`;
  return element(
    "article",
    { class: "panel", "data-status": status },
    element(
      "div",
      { class: "row apart" },
      element("h3", {}, typeWords[type] ?? type),
      ...(status === "failed" ? [again] : []),
    ),
    element("p", {}, error),
    element("p", { class: "quiet" }, words),
  );
}
