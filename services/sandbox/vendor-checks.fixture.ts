import {
  ADAPTER_DIFFERENCES,
  SANDBOX_DIFFERENCES,
  type VendorDifference,
} from '#testing/vendor-requests/differences.ts';
import { assertVendorRequest } from '#testing/vendor-requests/vendor-requests.ts';
import { textOf, type ExchangeOutcome, type SandboxRequest } from './exchange.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * For tests of the simulated Networks: these accept only what their vendors document. A request that one of them takes
 * and the vendor does not have fails the test. What a simulator refuses is not looked at, because tests send it for
 * that.
 */
export function withVendorChecks(sandbox: Sandbox): Sandbox {
  return {
    ...sandbox,
    async handle(request) {
      const outcome = await sandbox.handle(request);
      if (isAccepted(outcome)) assertSimulated(request, SANDBOX_DIFFERENCES);
      return outcome;
    },
  };
}

/**
 * For tests in which adapters call a sandbox: every request that a vendor does not document fails. The callers catch
 * errors and try again, so the error is raised as an unhandled one as well, which fails the run whatever they do.
 */
export function withAdapterChecks(sandbox: Sandbox): Sandbox {
  return {
    ...sandbox,
    async handle(request) {
      try {
        assertSimulated(request, ADAPTER_DIFFERENCES);
      } catch (error) {
        void Promise.reject(error as Error);
        throw error;
      }
      return sandbox.handle(request);
    },
  };
}

/**
 * Pages and files are for people, and no calls. TikTok refuses some requests with HTTP 200, and says so in `error`.
 */
function isAccepted(outcome: ExchangeOutcome): boolean {
  if ('cut' in outcome || outcome.status >= 400) return false;
  const type = outcome.headers['content-type'] ?? '';
  if (!type.startsWith('application/json')) return !/^(text\/html|image\/|video\/)/.test(type);
  const { error } = JSON.parse(textOf(outcome)) as { readonly error?: { readonly code?: string } };
  return error === undefined || error.code === 'ok';
}

function assertSimulated(request: SandboxRequest, differences: readonly VendorDifference[]): void {
  if (isToNetwork(request)) assertVendorRequest(null, request, differences);
}

/** The sandbox's own addresses, its pages, and the form of its consent page are no vendor's. */
function isToNetwork({ method, url }: SandboxRequest): boolean {
  const path = url.replace(/^https?:\/\/[^/]+/, '').split('?')[0]!;
  return path.startsWith('/sim/') && !(method === 'POST' && /\/(authorize\/?|dialog\/oauth|v2\/auth)$/.test(path));
}
