import type { Reader } from "lockstep";
import type { ServerConfig } from "../config/server-settings.ts";
import type { JobView } from "../jobs/job-view.ts";
import type { OldestWaits } from "../jobs/oldest-waits.ts";
import { EventEncoder } from "./event-encoder.ts";
import { EventHub } from "./event-hub.ts";
import { JobStreams } from "./job-streams.ts";
import { LiveUpdates } from "./live-updates.ts";
import { sampledReads } from "./sampled-reads.ts";
import { Sampler } from "./sampler.ts";
import { StreamPlaces } from "./stream-places.ts";

export interface LiveParts {
  readonly config: ServerConfig;
  readonly reader: Reader;
  readonly view: JobView;
  readonly waits: OldestWaits;
  readonly stopping: AbortSignal;
}

/** What the streams of a server have in common. */
export interface Live {
  readonly updates: LiveUpdates;
  readonly streams: JobStreams;
  readonly places: StreamPlaces;
  readonly encoder: EventEncoder;
  /** How far they stand behind the log; null while there are none. */
  eventLagMs(): number | null;
  stop(): Promise<void>;
}

const perUser = { usual: 5, loopback: 50 };

export function makeLive({ config, reader, view, waits, stopping }: LiveParts): Live {
  const { clock, access, streamsPerUser, streamsInAll } = config;
  const hub = new EventHub({ reader, clock });
  const sampler = new Sampler({ reads: sampledReads({ reader, view, waits }), clock });
  const usual = access === "loopback" ? perUser.loopback : perUser.usual;
  return {
    updates: new LiveUpdates({ hub, sampler, clock, random: Math.random, stopping }),
    streams: new JobStreams({
      ...{ reader, clock, random: Math.random, stopping },
      show: (name, chunks) => view.chunks(name, chunks),
    }),
    places: new StreamPlaces({ perUser: streamsPerUser ?? usual, inAll: streamsInAll }),
    encoder: new EventEncoder((event, seesData) => view.event(event, seesData)),
    eventLagMs: () => hub.lagMs(),
    async stop() {
      await Promise.all([hub.stop(), sampler.stop()]);
    },
  };
}
