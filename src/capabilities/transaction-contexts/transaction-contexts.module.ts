import { Module } from '@nestjs/common';
import { TransactionContextsController } from './transaction-contexts.controller';
import { DescribeTransactionHandler } from './transaction-contexts.handlers';

@Module({ controllers: [TransactionContextsController], providers: [DescribeTransactionHandler] })
export class TransactionContextsModule {}
