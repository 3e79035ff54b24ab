import type { Contender } from "../contenders/contender-list.ts";
import type { Order } from "../measurements/measurements.ts";
import type { Size } from "./sizes.ts";

/** One line of the table: what is measured, in which unit, between whom. */
export interface Part {
  readonly name: string;
  /** The plot it is drawn in. */
  readonly group: "adds" | "drains" | "latency" | "start" | "scale" | "cost";
  readonly unit: string;
  readonly better: "higher" | "lower";
  /** Parts that order the same are answered by one run. */
  order(size: Size, contender: Contender): Order;
  /** Which of the order's numbers is this part's value. */
  readonly number: string;
  /** The modules that take part, in the configuration the part is about. */
  readonly modules: readonly string[];
  /** Why others do not. */
  readonly absent: Readonly<Record<string, string>>;
  readonly configuration: "tuned" | "default";
  /** Takes minutes: one round is enough. */
  readonly isHeavy?: boolean;
  /** What people choose a queue by: measured more than once even in a quick run. */
  readonly isKey?: boolean;
  /** Waits more than it works: not for a quick run. */
  readonly isLong?: boolean;
  /** Settings of a server of its own, where the default ones cannot hold it. */
  serverSettings?(size: Size): Readonly<Record<string, string>> | undefined;
}
