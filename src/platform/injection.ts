/**
 * Nest's decorators, imported from their own files. The package's index also loads rxjs and three hundred more files,
 * which costs a thread that is wired by hand (see app/threads) half a second and 20 MB.
 */
import 'reflect-metadata';
export { Inject } from '@nestjs/common/decorators/core/inject.decorator';
export { Injectable } from '@nestjs/common/decorators/core/injectable.decorator';
export { Global } from '@nestjs/common/decorators/modules/global.decorator';
export { Module } from '@nestjs/common/decorators/modules/module.decorator';
