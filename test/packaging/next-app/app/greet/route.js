import { engine, greet } from "../../jobs.js";

export async function POST(request) {
  const { id } = await engine.add(greet, await request.json());
  return Response.json(await engine.result(id, { timeoutMs: 60_000 }));
}
