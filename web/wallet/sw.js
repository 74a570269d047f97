// Keeps the wallet's shell, so that it opens without a network. Nothing the service answers is ever kept.
const VERSION = '%VERSION%';
const FILES = ['%FILES%'];
const CACHE = `wallet-shell-${VERSION}`;
const PAGE = './';

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([PAGE, ...FILES])));
  self.skipWaiting();
});

self.addEventListener('activate', (event) => {
  const forgetOthers = async () => {
    const names = await caches.keys();
    const others = names.filter((name) => name.startsWith('wallet-shell-') && name !== CACHE);
    await Promise.all(others.map((name) => caches.delete(name)));
  };
  event.waitUntil(forgetOthers());
});

const placeOf = (file) => new URL(file, self.registration.scope).href;

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  // The newest page if there is a network; the kept one if not.
  if (request.mode === 'navigate') {
    event.respondWith(fetch(request).catch(() => caches.match(placeOf(PAGE), { ignoreVary: true })));
    return;
  }
  // Their names change with their content. All other requests bypass this worker.
  if (!FILES.some((file) => placeOf(file) === request.url)) return;
  event.respondWith(caches.match(request, { ignoreVary: true }).then((kept) => kept ?? fetch(request)));
});
