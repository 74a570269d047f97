import { Inject, Injectable } from '@nestjs/common';
import { type CookieOptions, type Response } from 'express';
import { CONFIG, type Config } from '../platform/config';

/** The operator's session as browsers keep it: out of reach of scripts and of other sites. */
@Injectable()
export class SessionCookie {
  /** Browsers enforce the __Host- prefix: only this very host, over TLS, can have set the cookie. */
  readonly name: string;
  private readonly options: CookieOptions;

  constructor(@Inject(CONFIG) { baseUrl }: Config) {
    const secure = baseUrl.startsWith('https:');
    this.name = secure ? '__Host-svc_session' : 'svc_session';
    this.options = { httpOnly: true, sameSite: 'strict', path: '/', secure };
  }

  set(response: Response, token: string, seconds: number): void {
    response.cookie(this.name, token, { ...this.options, maxAge: seconds * 1000 });
  }

  clear(response: Response): void {
    response.clearCookie(this.name, this.options);
  }

  /** Every value sent under our name; tokens need no decoding. Callers decide what to do with more than one. */
  valuesIn(header: string | undefined): readonly string[] {
    return (header ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${this.name}=`))
      .map((pair) => pair.slice(this.name.length + 1));
  }
}
