const sentence = "PostgreSQL is starting; this takes a few seconds at the first start.";

const headers = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Retry-After": "1",
};

/** While there is no database yet: a page for browsers that looks again by itself, a problem for programs. */
export function startingAnswer(request: Request): Response {
  if (request.headers.get("accept")?.includes("text/html")) {
    return new Response(page, {
      status: 503,
      headers: { ...headers, "Content-Type": "text/html; charset=utf-8" },
    });
  }
  const problem = {
    type: "urn:lockstep:problem:database.unavailable",
    title: "The database is starting",
    status: 503,
    detail: sentence,
    code: "database.unavailable",
  };
  return new Response(JSON.stringify(problem), {
    status: 503,
    headers: { ...headers, "Content-Type": "application/problem+json" },
  });
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="1">
<title>Lockstep is starting</title>
</head>
<body>
<h1>Lockstep is starting</h1>
<p role="status">${sentence}</p>
<p>This page reloads every second until Lockstep is ready.</p>
</body>
</html>
`;
