import { entriesProcess } from "../../../src/entries-process.ts";
import { entriesRoutes } from "../../../src/entries-routes.ts";

export const dynamic = "force-dynamic";

export const GET = (request: Request) => entriesRoutes(entriesProcess()).list(request);
export const POST = (request: Request) => entriesRoutes(entriesProcess()).create(request);
