import type { JobEvent } from "lockstep";
import type { EventFollower } from "./event-follower.ts";
import { type EventScope, isWithin } from "./event-scope.ts";

/** Followers by what they follow, so that an event is shown only to those whom it may concern. */
export class FollowerGroups {
  readonly #groups = new Map<string, Set<EventFollower>>();

  add(follower: EventFollower): void {
    const key = keyOf(follower.scope);
    this.#groups.set(key, (this.#groups.get(key) ?? new Set()).add(follower));
  }

  delete(follower: EventFollower): void {
    const key = keyOf(follower.scope);
    const group = this.#groups.get(key);
    group?.delete(follower);
    if (group?.size === 0) this.#groups.delete(key);
  }

  give(event: JobEvent): void {
    const keys = [`job ${event.jobId}`, `owner ${event.owner}`, everything];
    const groups = keys.flatMap((key) => this.#groups.get(key) ?? []);
    if (groups.length === 0) return;
    const bytes = JSON.stringify(event).length;
    for (const group of groups) {
      for (const follower of group) if (isWithin(follower.scope, event)) follower.give(event, bytes);
    }
  }

  reset(place: string): void {
    for (const group of this.#groups.values()) for (const follower of group) follower.reset(place);
  }
}

const everything = "everything";

function keyOf({ jobId, owner }: EventScope): string {
  if (jobId !== null) return `job ${jobId}`;
  return owner === null ? everything : `owner ${owner}`;
}
