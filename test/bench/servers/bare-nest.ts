import 'reflect-metadata';
import { Body, Controller, HttpCode, Module, Post, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Type } from 'class-transformer';
import { Equals, IsObject, IsOptional, IsString, Length, Matches, ValidateNested } from 'class-validator';

class EchoInput {
  @IsString()
  @Length(1, 120)
  name!: string;

  @IsOptional()
  @IsString()
  @Length(1, 40)
  platform?: string;
}

class AmountInput {
  @IsString()
  @Matches(/^(0|[1-9]\d*)(\.\d+)?$/)
  amount!: string;
}

class PolicyInput {
  @Equals(true)
  requires_user_approval!: boolean;
}

/** The body of a payment request, declared for class-validator. */
class PaymentInput {
  @IsString()
  @Length(1, 160)
  recipient_id!: string;

  @IsString()
  @Length(1, 160)
  recipient_version_id!: string;

  @IsObject()
  @ValidateNested()
  @Type(() => AmountInput)
  payment!: AmountInput;

  @IsObject()
  @ValidateNested()
  @Type(() => PolicyInput)
  policy!: PolicyInput;

  @IsOptional()
  @IsString()
  @Length(1, 160)
  request_id?: string;

  @IsOptional()
  @IsObject()
  metadata?: object;
}

@Controller()
class EchoController {
  @Post('payment')
  @HttpCode(201)
  echoPayment(@Body() input: PaymentInput) {
    return { ok: true, input };
  }

  @Post('echo')
  @HttpCode(201)
  echo(@Body() input: EchoInput) {
    return { ok: true, input };
  }
}

@Module({ controllers: [EchoController] })
class EchoModule {}

/** NestJS on Express as in its documentation, with a validated body and nothing behind it. */
async function main(): Promise<void> {
  const app = await NestFactory.create(EchoModule, { logger: false });
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
  await app.listen(Number(process.env['PORT']), '127.0.0.1');
  process.stdout.write('listens\n');
}
void main();
