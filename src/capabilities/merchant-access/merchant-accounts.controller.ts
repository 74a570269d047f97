import { Body, Controller, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { type Response } from 'express';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { AfterAnswer } from '../../http/server/after-answer';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Context } from '../../http/server/request-context';
import { refuseInput } from '../../kernel/errors';
import { SendAccessLink, VerifyEmail } from './access-links.handlers';
import { normalizedEmail } from './email-address';
import { EMAIL_LINK_SECONDS } from './lifetimes';
import {
  choicesSchema,
  choiceView,
  EmailVerificationInput,
  expirySchema,
  grantSchema,
  RegistrationInput,
  registrationSchema,
} from './merchant-access.dto';

@Tag('Merchant access')
@Controller('v1/merchant-accounts')
export class MerchantAccountsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly afterAnswer: AfterAnswer,
  ) {}

  @Post('registrations')
  @Endpoint({
    summary: 'Ask for a one-time link by mail',
    description:
      'For signing up, for completing a sign-up and for signing in again. The answer is the same whether or not the address ' +
      'is known, and whether or not a mail was sent.',
    credential: 'none',
    limit: 'registration',
    status: 202,
    body: RegistrationInput,
    answer: { registration: registrationSchema },
  })
  register(
    @Body() { email }: RegistrationInput,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const address = normalizedEmail(email);
    if (address === undefined)
      throw refuseInput([{ code: 'malformed', field: 'email', message: 'must be an address' }]);
    this.afterAnswer.run(response, 'send-access-link', () =>
      this.commands.execute(new SendAccessLink(address, context)),
    );
    return { ok: true, registration: { status: 'accepted', link_expires_in: EMAIL_LINK_SECONDS } };
  }

  @Post('email-verifications')
  @Endpoint({
    summary: 'Exchange the link from the mail for a grant',
    description: 'The grant opens a session for one of the merchants listed, or creates an organization.',
    credential: 'none',
    body: EmailVerificationInput,
    answer: { merchants: choicesSchema, session_grant: grantSchema, session_grant_expires_at: expirySchema },
    errors: ['invalid_grant'],
  })
  async verifyEmail(@Body() { token }: EmailVerificationInput, @Context() context: CommandContext) {
    const verified = await this.commands.execute(new VerifyEmail(token, context));
    return {
      ok: true,
      merchants: verified.offered.map(choiceView),
      session_grant: verified.token,
      session_grant_expires_at: verified.expiresAt,
    };
  }
}
