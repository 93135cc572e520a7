import type { Request, Response } from 'express';
import { formOf, guardsOf, sendPage } from '#http-server/page.ts';
import { PortError } from '#ports/errors.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { FormGuard } from '#http-server/form-guard.ts';

export interface PageRequestsOptions {
  readonly guard: FormGuard;
  readonly reporter: Reporter;
  readonly requestId: () => string;
  /** The address of the installation, without a slash at the end. */
  readonly publicUrl: string;
}

export interface PageContent {
  readonly status?: number;
  readonly title: string;
  /** HTML. */
  readonly body: string;
}

/** What the pages for people have in common: answers, forms, and what a person sees when something fails. */
export class PageRequests {
  readonly #options: PageRequestsOptions;

  constructor(options: PageRequestsOptions) {
    this.#options = options;
  }

  page(response: Response, { status = 200, title, body }: PageContent): void {
    sendPage(response, { status, title, body, requestId: this.#options.requestId() });
  }

  /** Leads to a path of ours, with GET. */
  redirect(response: Response, path: string): void {
    const { publicUrl, requestId } = this.#options;
    response.writeHead(303, { ...guardsOf(requestId()), Location: publicUrl + path });
    response.end();
  }

  /** The path of ours as a form or a link names it. */
  address(path: string): string {
    return new URL(this.#options.publicUrl).pathname.replace(/\/$/, '') + path;
  }

  /** The form that was sent, if a page of ours made it for this browser to do `what`; otherwise it is answered. */
  async form(request: Request, response: Response, what: string): Promise<URLSearchParams | null> {
    const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? '');
    const form = isForm ? await formOf(request) : new URLSearchParams();
    if (form === null) {
      this.page(response, { status: 413, title: 'That is too much', body: '<p>Send less text.</p>' });
      return null;
    }
    if (this.#options.guard.accepts(request, form, what)) return form;
    this.#options.reporter.report('form-refused');
    const body = `<p>This form was opened in another browser, or before you signed in or out, or cookies are off. Open the page again, allow cookies, and send the form from there.</p><p><a href="${this.address('/app')}">Start again</a></p>`;
    this.page(response, { status: 403, title: 'Please open the page again', body });
    return null;
  }

  /** A handler that never fails: what it throws becomes a page. */
  serve(work: (request: Request, response: Response) => Promise<void>) {
    return async (request: Request, response: Response): Promise<void> => {
      try {
        await work(request, response);
      } catch (error) {
        // A client that went away while it was sending is no defect.
        if (!request.complete && request.destroyed) return;
        if (!(error instanceof PortError)) this.#options.reporter.failure('people-page-failed', error);
        if (response.headersSent) return void response.destroy();
        const body = '<p>Crier could not do this now. Nothing is lost: try again in a minute.</p>';
        this.page(response, { status: 503, title: 'That did not work', body });
      }
    };
  }
}
