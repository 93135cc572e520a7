// `helm test`: admin is ready, the API asks for a key, and the app's page is there. Each is tried for four minutes.
// Redirections lead to the public address, which a pod may not reach.
const checks = [
  { what: 'admin is ready', url: `${process.env.ADMIN}/health/ready`, status: 200 },
  { what: 'the API asks for a key', url: `${process.env.API}/api/posts`, status: 401 },
  { what: 'the app is there', url: `${process.env.API}/sign-in`, status: 200 },
];
const until = Date.now() + 240_000;
for (const { what, url, status } of checks) {
  let seen = 'nothing';
  while (seen !== status && Date.now() < until) {
    seen = await fetch(url, { redirect: 'manual' }).then(
      (response) => response.status,
      (error) => String(error.cause?.code ?? error.message),
    );
    if (seen !== status) await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  console.log(`${seen === status ? 'ok' : 'failed'}: ${what} (${url}: ${seen})`);
  if (seen !== status) process.exitCode = 1;
}
