import type { AttemptOutcome, DeliveryAttempt } from '#domain/webhook/delivery.ts';
import { secretContext, signing, type Endpoint } from '#domain/webhook/endpoint.ts';
import { RESPONSE_TIMEOUT_MS, retryAfterOf } from '#domain/webhook/schedule.ts';
import { signatureOf } from '#domain/webhook/signature.ts';
import type { Clock } from '#ports/clock.ts';
import { HttpFailure } from '#ports/http-client.ts';
import { UnsafeAddress, type PublicAnswer, type PublicHttp } from '#ports/public-http.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import { excerptOf } from './excerpt.ts';

export interface SendOptions {
  readonly publicHttp: PublicHttp;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

/** What one attempt came to. */
export type SendResult = Pick<DeliveryAttempt, 'outcome' | 'status' | 'error' | 'excerpt' | 'retryAfterMs'>;

/** An event as its endpoint gets it. */
interface SentEvent {
  readonly eventId: string;
  readonly body: Uint8Array;
  /** `traceparent` of the attempt, so that a receiver that traces goes on with it; undefined: nobody traces it. */
  readonly trace: string | undefined;
}

const USER_AGENT = 'Crier-Webhooks/1';
/** The HTTP adapter times the whole exchange, in whole milliseconds. */
const TIMED_OUT_FROM_MS = RESPONSE_TIMEOUT_MS - 50;

/**
 * Sends these very bytes, signed anew. The status is the answer: a body that breaks off, hangs or has no end changes
 * nothing about it. Never rejects for what a receiver, or the way to it, does.
 */
export async function send(
  { publicHttp, secretBox, clock }: SendOptions,
  endpoint: Endpoint,
  { eventId, body, trace }: SentEvent,
): Promise<SendResult> {
  // By the clock that receivers compare with their own, whatever an operator did to ours; only which secrets sign goes
  // by ours, as rotations do.
  const secrets = signing(endpoint.secrets, clock.now()).map(({ sealed }) =>
    secretBox.open(sealed, secretContext(endpoint.id)),
  );
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'Service-Event-Id': eventId,
    'Service-Signature': signatureOf(body, secrets, clock.unmoved()),
    ...(trace !== undefined && { traceparent: trace }),
  };
  const begun = clock.monotonic();
  try {
    return await resultOf(
      await publicHttp.send({ method: 'POST', url: endpoint.url, headers, body, timeoutMs: RESPONSE_TIMEOUT_MS }),
      clock,
    );
  } catch (error) {
    if (error instanceof UnsafeAddress) return failed('unsafe', error.message);
    if (error instanceof HttpFailure)
      return failed(clock.monotonic() - begun >= TIMED_OUT_FROM_MS ? 'timed_out' : 'unreachable', error.message);
    throw error;
  }
}

async function resultOf(answer: PublicAnswer, clock: Clock): Promise<SendResult> {
  const { status, headers } = answer;
  const excerpt = await excerptOf(answer.body, clock);
  const retryAfterMs = retryAfterOf(headers['retry-after'], clock.unmoved());
  if (status >= 200 && status < 300) return { outcome: 'succeeded', status, error: '', excerpt, retryAfterMs: null };
  if (status >= 300 && status < 400)
    return {
      outcome: 'redirected',
      status,
      error: `The endpoint answered with a redirect (${status}), and redirects are not followed.`,
      excerpt,
      retryAfterMs,
    };
  const gone = status === 410 ? ': it says that it is gone for good. Delete the endpoint if that is so.' : '.';
  return { outcome: 'refused', status, error: `The endpoint answered ${status}${gone}`, excerpt, retryAfterMs };
}

function failed(outcome: AttemptOutcome, error: string): SendResult {
  return { outcome, status: null, error, excerpt: '', retryAfterMs: null };
}
