import {
  CalendarClock,
  CircleAlert,
  Hand,
  HeartPulse,
  History,
  Layers,
  LayoutDashboard,
  ListChecks,
  type LucideIcon,
  Server,
  Settings,
  Wallet,
  Workflow,
} from "lucide-react";
import { text } from "../text/text.ts";

export interface NavPage {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** After `g`. */
  readonly key?: string;
  readonly isApart?: boolean;
}

export const navPages: readonly NavPage[] = [
  { to: "/", label: text.nav.overview, icon: LayoutDashboard, key: "o" },
  { to: "/pipelines", label: text.nav.pipelines, icon: Workflow, key: "p" },
  { to: "/jobs", label: text.nav.jobs, icon: Layers, key: "j" },
  { to: "/waits", label: text.nav.waits, icon: Hand, key: "q" },
  { to: "/workers", label: text.nav.workers, icon: Server, key: "w" },
  { to: "/schedules", label: text.nav.schedules, icon: CalendarClock, key: "s" },
  { to: "/budgets", label: text.nav.budgets, icon: Wallet, key: "u" },
  { to: "/errors", label: text.nav.errors, icon: CircleAlert, key: "e" },
  { to: "/bulk", label: text.nav.bulk, icon: ListChecks, key: "b" },
  { to: "/system", label: text.nav.health, icon: HeartPulse, key: "h" },
  { to: "/activity", label: text.nav.activity, icon: History, key: "a" },
  { to: "/settings", label: text.nav.settings, icon: Settings, isApart: true },
];
