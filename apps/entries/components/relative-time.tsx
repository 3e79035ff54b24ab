"use client";

import { useEffect, useState } from "react";

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];
const words = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** "2 min. ago", with the instant itself in its title. */
export function RelativeTime({ at }: { at: string }) {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} className="whitespace-nowrap">
      {textOf(nowMs - Date.parse(at))}
    </time>
  );
}

/** Never in the future, whatever the two clocks say. */
function textOf(ageMs: number): string {
  const [unit, unitMs] = steps.find(([, ms]) => ageMs >= ms) ?? ["second", 1_000];
  return words.format(-Math.max(0, Math.floor(ageMs / unitMs)), unit);
}
