import { setTimeout as sleep } from "node:timers/promises";
import type { Driver, Payload } from "../contenders/contender.ts";
import { machineMs } from "../machine/machine-clock.ts";
import { type ContenderAddress, loadContender } from "./contender-address.ts";
import type { CrewWork, FromCrew, ToCrew } from "./crew-messages.ts";

// A process that only works: what it uses is the worker's, and producing costs it nothing.
const reportIntervalMs = 5;
const { module, openOptions } = await loadContender(JSON.parse(process.argv[2] ?? "") as ContenderAddress);

let drivers: Driver[] = [];
let stops: (() => Promise<void>)[] = [];
let reporting: NodeJS.Timeout | undefined;
let count = 0;
let reported = 0;
let latenciesMs: number[] = [];

function tell(message: FromCrew): void {
  process.send?.(message);
}

/** Soon, with what else is counted until then. No timer while nothing happens: an idle worker's use is measured, too. */
function reportSoon(): void {
  reporting ??= setTimeout(report, reportIntervalMs);
}

function report(): void {
  clearTimeout(reporting);
  reporting = undefined;
  if (count === reported) return;
  reported = count;
  tell({ kind: "count", count, atMs: machineMs(), latenciesMs });
  latenciesMs = [];
}

function handlerOf({ waitMs, reportAt, isTimed }: CrewWork) {
  const counted = () => {
    count += 1;
    if (count === reportAt) report();
    else reportSoon();
  };
  if (waitMs > 0) return (): Promise<void> => sleep(waitMs).then(counted);
  return ({ sentAtMs }: Payload): undefined => {
    if (isTimed) latenciesMs.push(machineMs() - sentAtMs);
    counted();
  };
}

async function obey(message: ToCrew): Promise<void> {
  switch (message.kind) {
    case "open":
      for (let index = 0; index < message.workers; index += 1) {
        drivers.push(await module.open(openOptions(message.url, message.isTuned)));
      }
      break;
    case "work": {
      count = 0;
      reported = 0;
      const { stages, processors, isBusy } = message.work;
      const handle = handlerOf(message.work);
      for (const driver of drivers) stops.push(await driver.work({ stages, processors, isBusy, handle }));
      break;
    }
    case "usage": {
      const { user, system } = process.cpuUsage();
      const peakRssBytes = process.resourceUsage().maxRSS * 1_024;
      tell({ kind: "usage", usage: { cpuMs: (user + system) / 1_000, peakRssBytes } });
      return;
    }
    case "rest":
      await Promise.all(stops.map((stop) => stop()));
      stops = [];
      report();
      break;
    case "close":
      await Promise.all(drivers.map((driver) => driver.close()));
      drivers = [];
  }
  tell({ kind: "done", what: message.kind });
}

process.on("message", (message: ToCrew) => {
  obey(message).catch((error) => tell({ kind: "error", message: String(error?.stack ?? error) }));
});
process.on("disconnect", () => process.exit(0));
tell({ kind: "done", what: "ready" });
