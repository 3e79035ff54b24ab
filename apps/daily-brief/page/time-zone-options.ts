import { element } from "@lockstep/app-kit/page/element";
import { BriefApi } from "./brief-api.ts";

let names: Promise<readonly string[]> | null = null;

/** Fills a list with all time zones, by region, and chooses one of them. */
export async function offerTimeZones(select: HTMLSelectElement, chosen: string): Promise<void> {
  names ??= BriefApi.timeZones();
  const known = await names;
  if (select.options.length === 0) select.replaceChildren(...groupsOf(known));
  // Somebody may have one that is not on the list.
  if (![...select.options].some(({ value }) => value === chosen)) select.prepend(optionOf(chosen));
  select.value = chosen;
}

/** That of this browser. */
export function ownTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

function groupsOf(zones: readonly string[]): HTMLElement[] {
  const groups = new Map<string, HTMLElement[]>();
  for (const zone of zones) {
    const [region = ""] = zone.split("/");
    groups.set(region, [...(groups.get(region) ?? []), optionOf(zone)]);
  }
  return [...groups].map(([label, options]) => element("optgroup", { label }, ...options));
}

function optionOf(zone: string): HTMLElement {
  return element("option", { value: zone }, zone.replaceAll("_", " "));
}
