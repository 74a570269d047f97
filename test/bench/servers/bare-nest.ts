import 'reflect-metadata';
import { Body, Controller, HttpCode, Module, Post, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IsOptional, IsString, Length } from 'class-validator';

class EchoInput {
  @IsString()
  @Length(1, 120)
  name!: string;

  @IsOptional()
  @IsString()
  @Length(1, 40)
  platform?: string;
}

@Controller('echo')
class EchoController {
  @Post()
  @HttpCode(201)
  echo(@Body() input: EchoInput) {
    return { ok: true, input };
  }
}

@Module({ controllers: [EchoController] })
class EchoModule {}

/** NestJS on Express as its documentation sets it up, with one validated body and nothing behind it. */
async function main(): Promise<void> {
  const app = await NestFactory.create(EchoModule, { logger: false });
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
  await app.listen(Number(process.env['PORT']), '127.0.0.1');
  process.stdout.write('listens\n');
}
void main();
