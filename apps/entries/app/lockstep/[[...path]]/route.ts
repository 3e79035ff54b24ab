import { liveServer } from "../../../src/live-server.ts";

export const dynamic = "force-dynamic";

export const GET = (request: Request) => liveServer().fetch(request);
