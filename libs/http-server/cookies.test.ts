import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { addCookie, cookieOf } from './cookies.ts';

const sent = (secure: boolean) => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  addCookie(response, { name: 'crier_session', value: 'a.b', maxAgeSeconds: 60, secure });
  return response.getHeader('Set-Cookie');
};

test('over https a cookie is bound to this host, and never sent without TLS', () => {
  expect(sent(true)).toBe('__Host-crier_session=a.b; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure');
  expect(sent(false)).toBe('crier_session=a.b; Path=/; HttpOnly; SameSite=Lax; Max-Age=60');
});

test('over https the name that a neighbouring host could set counts for nothing', () => {
  const request = { headers: { cookie: 'crier_session=planted; a=b' } };
  expect(cookieOf(request, { name: 'crier_session', secure: true })).toBeNull();
  expect(cookieOf(request, { name: 'crier_session', secure: false })).toBe('planted');
  expect(cookieOf({ headers: {} }, { name: 'crier_session', secure: false })).toBeNull();
});
