// The script of the developers' pages: the filter of the navigation, copy buttons, the choice of a language, and forms
// that send requests to this origin. It stores nothing and asks no other host. Pages can be read without it.

const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const one = (selector, inside = document) => inside.querySelector(selector);

/** An element with a text. Texts never become markup. */
function element(name, text = '', attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

// The navigation: its menu on narrow screens, its filter, its mark of where the reader is.

const nav = one('#nav');
const filter = one('#filter');
const links = all('li a', nav);
const visibleLinks = () => links.filter((link) => link.offsetParent !== null);

one('.menu').addEventListener('click', (event) => {
  const isOpen = nav.classList.toggle('open');
  event.currentTarget.setAttribute('aria-expanded', String(isOpen));
  if (isOpen) filter.focus();
});

function applyFilter() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const link of links) {
    const isFound = words.every((word) => link.dataset.words.includes(word));
    link.parentElement.hidden = !isFound;
    if (isFound) count += 1;
  }
  for (const group of all('.group', nav)) {
    group.hidden = words.length > 0 && one('li:not([hidden])', group) === null;
    if (group instanceof HTMLDetailsElement && words.length > 0) group.open = true;
  }
  one('#found').textContent = words.length === 0 ? '' : `${count === 0 ? 'Nothing' : count} found`;
}
filter.addEventListener('input', applyFilter);

filter.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    filter.value = '';
    applyFilter();
  } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
    const [first] = visibleLinks();
    if (first === undefined || (event.key === 'Enter' && filter.value === '')) return;
    event.preventDefault();
    if (event.key === 'Enter') first.click();
    else first.focus();
  }
});

nav.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  const shown = visibleLinks();
  const next = shown.indexOf(event.target) + step;
  if (next < 0) filter.focus();
  else shown[next]?.focus();
});

document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea') !== null;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (filter.offsetParent === null) one('.menu').click();
  filter.focus();
});

function markPlace() {
  for (const link of links) {
    const { pathname, hash } = new URL(link.href);
    const isHere = pathname === location.pathname && hash !== '' && hash === location.hash;
    if (isHere) link.setAttribute('aria-current', 'location');
    else if (link.getAttribute('aria-current') === 'location') link.removeAttribute('aria-current');
  }
}
window.addEventListener('hashchange', markPlace);
markPlace();

nav.addEventListener('click', (event) => {
  if (!(event.target instanceof HTMLAnchorElement) || !nav.classList.contains('open')) return;
  nav.classList.remove('open');
  one('.menu').setAttribute('aria-expanded', 'false');
});

// Copying.

async function copy(text) {
  // Browsers offer the clipboard on https and on this machine only.
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = element('textarea', text, { class: 'skip' });
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

document.addEventListener('click', async (event) => {
  if (!(event.target instanceof HTMLButtonElement) || !event.target.matches('[data-copy]')) return;
  const button = event.target;
  const done = await copy(one('pre', button.parentElement).innerText).then(
    () => true,
    () => false,
  );
  button.textContent = done ? 'Copied' : 'Select and copy';
  setTimeout(() => (button.textContent = 'Copy'), 2000);
});

// One language for all examples of the page.

document.addEventListener('change', (event) => {
  if (!(event.target instanceof HTMLInputElement) || !event.target.matches('[data-language]')) return;
  const top = event.target.getBoundingClientRect().top;
  for (const radio of all('[data-language]')) if (radio.value === event.target.value) radio.checked = true;
  // Examples above may be longer or shorter now; what the reader looks at stays where it is.
  window.scrollBy({ top: event.target.getBoundingClientRect().top - top, behavior: 'instant' });
});

// Trying requests.

const prefix = location.pathname.replace(/\/developers(\/.*)?$/, '');

/** What a form asks: method, address, headers, body. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const { name, value, dataset } of all('input[data-place]', form)) {
    if (dataset.place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value.trim()));
    else if (value !== '' && dataset.place === 'query') query.set(name, value);
    else if (value !== '') headers[name] = value;
  }
  const body = one('textarea', form)?.value;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const search = query.toString();
  return { method: form.dataset.method, path: prefix + path + (search === '' ? '' : `?${search}`), headers, body };
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Without the key itself, so that the line can be shown to others. */
function curlOf({ method, path, headers, body }) {
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(location.origin + path)}`,
    '-H "Authorization: Bearer $CRIER_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}

function shownCode(title, text) {
  const block = element('div', '', { class: 'code' });
  const pre = element('pre', '', { tabindex: '0', role: 'group', 'aria-label': title });
  pre.append(element('code', text));
  block.append(element('button', 'Copy', { type: 'button', class: 'copy', 'data-copy': '' }), pre);
  return [element('p', title, { class: 'caption' }), block];
}

function say(form, text, kind = '') {
  const outcome = one('.outcome', form);
  outcome.textContent = text;
  outcome.className = `outcome ${kind}`;
}

async function send(form) {
  const key = one('#key').value.trim();
  if (key === '') {
    say(form, 'Paste an API key at the top of this page first.', 'bad');
    one('#key').focus();
    return;
  }
  const request = requestOf(form);
  const { method, path, headers, body } = request;
  const button = one('button[type=submit]', form);
  button.disabled = true;
  say(form, 'Sending…');
  const from = performance.now();
  try {
    const response = await fetch(path, {
      method,
      headers: { ...headers, Authorization: `Bearer ${key}` },
      body,
      credentials: 'omit',
      redirect: 'error',
    });
    const text = await response.text();
    const tookMs = Math.round(performance.now() - from);
    say(form, `${response.status} ${response.statusText} in ${tookMs} ms`, response.ok ? 'good' : 'bad');
    const sent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    one('.result', form).replaceChildren(
      ...shownCode('Answer', text === '' ? 'It has no body.' : formatted(text)),
      ...shownCode('Headers', sent),
      ...shownCode('The same with curl', curlOf(request)),
    );
    if (response.ok) learnIds(form, text);
  } catch (error) {
    say(form, `No answer came: ${error.message}`, 'bad');
  } finally {
    button.disabled = false;
  }
}

function formatted(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// Ids of an answer replace those of the examples in other forms, so that the next request works as it stands.

const EXAMPLE_IDS = {
  channel: '019a5e10-0000-7000-8000-0000000000c1',
  post: '019a5e10-0000-7000-8000-0000000000d1',
  variant: '019a5e10-0000-7000-8000-0000000000e1',
  asset: '019a5e10-0000-7000-8000-0000000000a1',
  endpoint: '019a5e10-0000-7000-8000-0000000000b1',
  delivery: '019a5e10-0000-7000-8000-0000000000f1',
};

function learnIds(form, text) {
  let data;
  try {
    ({ data } = JSON.parse(text));
  } catch {
    return;
  }
  const first = Array.isArray(data) ? (data.find((each) => each.canPostNow !== false && each.network !== 'tiktok') ?? data[0]) : data;
  if (first === undefined || first === null) return;
  const resource = /^\/api\/(\w+)/.exec(form.dataset.path)[1];
  const found = {
    channel: resource === 'channels' ? first.id : undefined,
    post: resource === 'posts' ? first.id : undefined,
    variant: first.variants?.[0]?.id,
    asset: first.assetId,
    endpoint: resource === 'webhooks' && first.url !== undefined ? first.id : undefined,
    delivery: first.deliveries?.[0]?.id,
  };
  for (const [what, id] of Object.entries(found)) {
    if (id === undefined) continue;
    for (const field of all('[data-try] input, [data-try] textarea'))
      field.value = field.value.replaceAll(EXAMPLE_IDS[what], id);
    EXAMPLE_IDS[what] = id;
  }
}

for (const form of all('[data-try]'))
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
